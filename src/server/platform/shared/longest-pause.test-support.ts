const LOOK_MS = 5;

/**
 * The longest time in ms for which `work` kept the event loop from running anything else. A pause counts with the processor
 * time of the process in it: on a busy machine the rest of it belongs to other programs.
 */
export async function measureLongestPause(work: () => unknown): Promise<number> {
  let longest = 0;
  let last = performance.now();
  let cpu = process.cpuUsage();
  const look = (): void => {
    const now = performance.now();
    const { user, system } = process.cpuUsage(cpu);
    longest = Math.max(longest, Math.min(now - last, (user + system) / 1000));
    last = now;
    cpu = process.cpuUsage();
  };
  const watch = setInterval(look, LOOK_MS);
  try {
    await work();
    await new Promise((resolve) => setImmediate(resolve));
    look();
  } finally {
    clearInterval(watch);
  }
  return longest;
}
