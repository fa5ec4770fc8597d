import { describe } from 'vitest';
import { isCaughtByRule, proveFaults } from './testing/prove-faults.ts';
import { quickFaults } from './testing/quick-faults.ts';

// They take about as long as those that a check asks for. A file of their own is judged beside them.
describe('wrong servers that a rule over everything exchanged must find', () =>
  proveFaults(quickFaults.filter(isCaughtByRule)));
