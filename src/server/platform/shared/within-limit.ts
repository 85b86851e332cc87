/** Rejects at the limit even where the work does not hear its signal. */
export async function withinLimit<T>(work: (signal: AbortSignal) => Promise<T>, limitMs: number): Promise<T> {
  const controller = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(new Error(`No answer within ${limitMs / 1000} s: check the address and the network`));
      controller.abort();
    }, limitMs);
  });
  try {
    return await Promise.race([work(controller.signal), late]);
  } finally {
    clearTimeout(timer);
  }
}
