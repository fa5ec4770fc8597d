/** Loaded into every server of the bench before its own code. It reports the process's usage whenever it is asked. */

/** The usage of a process: CPU time since its start in microseconds, and its resident memory now, in bytes. */
export interface Usage {
  cpu: number;
  memory: number;
}

process.on('message', () => {
  const { user, system } = process.cpuUsage();
  process.send?.({ cpu: user + system, memory: process.memoryUsage.rss() } satisfies Usage);
});
// The server ends with the bench, however the bench ends.
process.on('disconnect', () => process.exit());
process.channel?.unref();
