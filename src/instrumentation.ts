/** Next calls this once, before the first request: the place where the process's container is made. */
export async function register(): Promise<void> {
  if (process.env.NEXT_RUNTIME !== "nodejs") return;
  const { startContainer } = await import("./server/main/start");
  await startContainer();
}
