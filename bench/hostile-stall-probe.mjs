// Loaded into a server before anything else (`node --import`): measures how long its event loop was blocked, and answers over
// the process's IPC channel. A late 5 ms timer means that the loop was blocked.
const TICK_MS = 5;

let last = performance.now();
let longest = 0;
let lastCpu = process.cpuUsage();
let longestCpu = 0;

function look() {
  const now = performance.now();
  const cpu = process.cpuUsage();
  const cpuMs = (cpu.user - lastCpu.user + cpu.system - lastCpu.system) / 1000;
  longest = Math.max(longest, now - last - TICK_MS);
  // CPU time counts all threads, so it may exceed what the loop itself took.
  longestCpu = Math.max(longestCpu, Math.min(cpuMs, now - last - TICK_MS));
  lastCpu = cpu;
  last = now;
}

setInterval(look, TICK_MS).unref();

process.on("message", (/** @type {{ probe?: string }} */ { probe }) => {
  if (probe === undefined) return;
  look();
  process.send?.({ longestMs: longest, longestCpuMs: longestCpu, rssBytes: process.memoryUsage.rss() });
  longest = 0;
  longestCpu = 0;
});
// The channel must not keep a stopping server alive.
process.channel?.unref();
