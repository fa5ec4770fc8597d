/**
 * Who may import whom. `npm run lint` holds every import to this table, type imports included.
 *
 * The rows stand from top to bottom: a room may import only rooms below it, and of these only the ones it names. So no two rooms can
 * depend on each other. Every room may import `generated`. Tests and what they share may import everything but `docs`.
 *
 * @type {readonly { room: string, mayImport: readonly string[] | 'everything below' }[]}
 */
const layers = [
  { room: 'docs', mayImport: 'everything below' },
  { room: 'conformance/bench', mayImport: 'everything below' },
  { room: 'conformance/mutation', mayImport: 'everything below' },
  { room: 'conformance/proof', mayImport: 'everything below' },
  {
    room: 'conformance/fuzz',
    mayImport: ['conformance/(values|contract|wire|check|drivers|cli)', 'server/(resilience|storage)'],
  },
  { room: 'conformance/attack', mayImport: ['conformance/(run|cli/testing|tests)'] },
  { room: 'conformance/binary', mayImport: ['conformance/cli', 'server/storage'] },
  { room: 'conformance/(index|vitest).ts', mayImport: ['conformance/*'] },
  { room: 'conformance/cli', mayImport: ['conformance/*', 'server/*'] },
  { room: 'conformance/doctor', mayImport: ['conformance/(run|arrange|check|drivers|wire|contract|text|errors)'] },
  {
    room: 'conformance/prove',
    mayImport: ['conformance/(proof/(faults|stand)|reporters|run|checks|check|drivers|wire|contract|text|errors)'],
  },
  {
    room: 'conformance/proof/(faults|stand)',
    mayImport: [
      'conformance/(checks|arrange|values|check|drivers|wire|contract|text|errors)',
      'server/app.ts',
      'server/(services|domain)',
    ],
  },
  { room: 'conformance/compare', mayImport: ['conformance/(reporters|checks|run|contract|text|errors)'] },
  { room: 'conformance/reporters', mayImport: ['conformance/(run|wire|history|contract|text)'] },
  {
    room: 'conformance/run',
    mayImport: ['conformance/(checks|invariants|check|drivers|wire|history|contract|text|errors)'],
  },
  {
    room: 'conformance/checks',
    mayImport: ['conformance/(invariants|arrange|values|check|drivers|wire|contract|errors)'],
  },
  { room: 'conformance/invariants', mayImport: ['conformance/(check|wire|history|contract|text|errors)'] },
  { room: 'conformance/arrange', mayImport: ['conformance/(values|check|drivers|wire|contract|text|errors)'] },
  { room: 'conformance/check', mayImport: ['conformance/(drivers|wire|history|contract|text|errors)'] },
  { room: 'conformance/drivers', mayImport: ['conformance/(wire|history|contract|text|errors)'] },
  { room: 'conformance/wire', mayImport: ['conformance/(history|contract|errors)'] },
  { room: 'conformance/history', mayImport: ['conformance/(text|errors)'] },
  { room: 'conformance/values', mayImport: ['conformance/contract'] },
  { room: 'conformance/contract', mayImport: [] },
  { room: 'conformance/errors', mayImport: [] },
  { room: 'conformance/text', mayImport: [] },
  { room: 'server/attack', mayImport: ['server/*'] },
  { room: 'server/bench', mayImport: ['server/*'] },
  { room: 'server/resilience', mayImport: ['server/*'] },
  { room: 'server/main.ts', mayImport: ['server/*'] },
  { room: 'server/app.ts', mayImport: ['server/*'] },
  { room: 'server/setup', mayImport: ['server/(http|services|storage|domain)'] },
  { room: 'server/options.ts', mayImport: ['server/(runtime|services|domain)'] },
  { room: 'server/checkout-page', mayImport: ['server/(http|signing|views|services|domain)'] },
  { room: 'server/runtime', mayImport: ['server/(http|signing|services)'] },
  { room: 'server/http', mayImport: ['server/(signing|views|services|domain)'] },
  { room: 'server/storage', mayImport: ['server/(services|domain)'] },
  { room: 'server/webhooks', mayImport: ['server/(signing|services|domain)'] },
  { room: 'server/signing', mayImport: ['server/services'] },
  { room: 'server/services', mayImport: ['server/(views|domain)'] },
  { room: 'server/views', mayImport: ['server/domain'] },
  { room: 'server/domain', mayImport: [] },
  { room: 'openapi', mayImport: [] },
  { room: 'generated', mayImport: [] },
];

const tests = String.raw`\.test\.ts$|/(tests|testing)/`;
const project = '^(docs|conformance|server|openapi|generated)/';

/** A room as a regular expression over paths: a file, a folder, or with `*` everything in a folder. */
const pattern = (room) => `^${room.replace('/*', '/').replace('.ts', '[.]ts$')}${/[*]|[.]ts$/.test(room) ? '' : '/'}`;

/** What a row may import, as one regular expression: itself, `generated`, and the rooms that it names. */
function allowedFrom({ room, mayImport }, below) {
  const named = mayImport === 'everything below' ? below.map((row) => row.room) : mayImport;
  return [room, 'generated', ...named].map(pattern).join('|');
}

/** @type {import('dependency-cruiser').IConfiguration} */
export default {
  forbidden: [
    ...layers.map((row, index) => ({
      name: `layer ${row.room}`,
      comment: 'The table in .dependency-cruiser.mjs says what this room may import.',
      severity: 'error',
      from: { path: pattern(row.room), pathNot: tests },
      to: { path: project, pathNot: allowedFrom(row, layers.slice(index + 1)) },
    })),
    {
      name: 'nothing comes from the docs',
      comment: 'The docs are made from everything else; nothing is made from them.',
      severity: 'error',
      from: { pathNot: '^docs/' },
      to: { path: '^docs/' },
    },
    {
      name: 'server and runner stay apart',
      comment: 'The runner judges over the wire: server and runner share only what is generated.',
      severity: 'error',
      from: { path: '^server/', pathNot: tests },
      to: { path: '^conformance/' },
    },
    {
      name: 'the domain is pure',
      comment: 'Time, ids and everything else from outside are passed in.',
      severity: 'error',
      from: { path: '^server/domain/', pathNot: tests },
      to: { dependencyTypes: ['core'] },
    },
    {
      name: 'check files stand alone',
      comment: 'Checks share code in conformance/checks/support, in conformance/arrange and in conformance/check.',
      severity: 'error',
      from: { path: '^conformance/checks/([^/]+)/[^/]+$', pathNot: tests },
      to: { path: '^conformance/checks/', pathNot: '^conformance/checks/support/' },
    },
    {
      name: 'no circle',
      comment: 'A circle of imports has no beginning from which it could be read.',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^dist/' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: { extensions: ['.ts', '.mjs', '.js', '.json'] },
  },
};
