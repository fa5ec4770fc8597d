/** A process in the place of `worker.ts`: does with each server what its id says. The argument `broken` ends it at once. */
if (process.argv[2] === 'broken') process.exit(1);

const send = (message) => process.connected && process.send({ cpu: 0, busy: 0, ...message }, () => undefined);

process.on('message', ({ kind, id }) => {
  if (id === 'ends-the-process') process.exit(7);
  while (id === 'loops-for-ever');
  if (id !== 'never-ends') send({ judged: { kind, id, against: [], milliseconds: 0 } });
});
process.on('disconnect', () => process.exit());
setInterval(() => send({}), 50);
