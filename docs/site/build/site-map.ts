import { address } from '../generate/catalogue-links.ts';
import { operations } from '../generate/contract.ts';

export interface Entry {
  text: string;
  link: string;
}

/** A section of the site with its pages in reading order. */
export interface Section {
  text: string;
  items: Entry[];
}

/** The full reference, a file that Redoc makes. */
export const reference: Entry = { text: 'Reference', link: '/reference.html' };

/** Every page of the site except the one for unknown addresses. */
export const sections: readonly Section[] = [
  {
    text: 'Begin',
    items: [
      { text: 'Start', link: '/' },
      { text: 'Quickstart', link: '/quickstart' },
      { text: 'Signing', link: '/signing' },
      { text: 'Troubleshooting', link: '/troubleshooting' },
      { text: 'Implement the API', link: '/implement' },
    ],
  },
  {
    text: 'Integrate',
    items: [
      { text: 'Hosted orders', link: '/hosted-orders' },
      { text: 'Checkout orders', link: '/checkout-orders' },
      { text: 'Refunds', link: '/refunds' },
      { text: 'States', link: '/states' },
      { text: 'Webhooks', link: '/webhooks' },
      { text: 'Errors', link: '/errors' },
      { text: 'Amounts and limits', link: '/amounts' },
      { text: 'Idempotency and polling', link: '/idempotency' },
      { text: 'Sandbox', link: '/sandbox' },
    ],
  },
  {
    text: 'Operations',
    items: [
      { text: 'All operations', link: '/operations/' },
      ...operations.map(({ id, summary }) => ({ text: summary, link: address.operation(id) })),
    ],
  },
  {
    text: 'Conformance',
    items: [
      { text: 'Run the suite', link: '/conformance/' },
      { text: 'Read the report', link: '/conformance/report' },
      { text: 'History', link: '/conformance/history' },
      { text: 'Configuration', link: '/conformance/configuration' },
      { text: 'Drivers', link: '/conformance/drivers' },
      { text: 'Baselines', link: '/conformance/baselines' },
      { text: 'In CI', link: '/conformance/ci' },
      { text: 'Rules and operations', link: '/conformance/rules' },
      { text: 'How far to trust it', link: '/conformance/proof' },
    ],
  },
  {
    text: 'Look up',
    items: [
      { text: 'Requirements', link: '/requirements' },
      { text: 'Open points', link: '/open-points' },
      { text: 'Changelog', link: '/changelog' },
    ],
  },
];
