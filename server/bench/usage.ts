/** Loaded into every server of the bench before its own code: tells what the process has used, whenever it is asked. */

/** What a process has used since it began: CPU time in microseconds, and its resident memory now, in bytes. */
export interface Usage {
  cpu: number;
  memory: number;
}

process.on('message', () => {
  const { user, system } = process.cpuUsage();
  process.send?.({ cpu: user + system, memory: process.memoryUsage.rss() } satisfies Usage);
});
// No server outlives the bench, however that ends.
process.on('disconnect', () => process.exit());
process.channel?.unref();
