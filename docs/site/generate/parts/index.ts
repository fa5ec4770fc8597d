import { buildOrder } from './build-order.ts';
import {
  currencies,
  errorCatalogue,
  errors,
  limits,
  networks,
  openPointCatalogue,
  openPoints,
  requirementCatalogue,
  requirements,
  states,
} from './catalogue-parts.ts';
import { command, configuration, driverInterface, exitCodeTable } from './command-parts.ts';
import { fields, operation, operationList, webhookEvents } from './contract-parts.ts';
import type { Part } from './part.ts';
import { changelog, mutation, proof } from './project-parts.ts';
import { causes, finding } from './report-parts.ts';
import { rules } from './rule-parts.ts';
import { sample } from './sample.ts';
import { historyRecords, reportFields } from './schema-parts.ts';
import { signatureComponents, signatureMistakes, signatureVectors } from './signature-parts.ts';
import { valueClassTable, valueCountTable } from './value-parts.ts';

/** The parts that a page can have, by the names in their markers. */
export const parts: Readonly<Record<string, Part>> = {
  states,
  errors,
  'error-catalogue': errorCatalogue,
  currencies,
  networks,
  limits,
  requirements,
  'requirement-catalogue': requirementCatalogue,
  'open-points': openPoints,
  'open-point-catalogue': openPointCatalogue,
  operation,
  operations: operationList,
  fields,
  'webhook-events': webhookEvents,
  'signature-components': signatureComponents,
  'signature-mistakes': signatureMistakes,
  'signature-vectors': signatureVectors,
  sample,
  command,
  configuration,
  'driver-interface': driverInterface,
  'exit-codes': exitCodeTable,
  causes,
  finding,
  'history-records': historyRecords,
  'report-fields': reportFields,
  'value-classes': valueClassTable,
  rules,
  'build-order': buildOrder,
  'value-counts': valueCountTable,
  mutation,
  proof,
  changelog,
};
