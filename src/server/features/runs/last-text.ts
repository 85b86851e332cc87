/** Pieces of one long text are asked for in a row: it is not read and put together again for each of them. */
const KEPT_MS = 10_000;

/** Keeps the last text that was read, for some seconds. */
export function createLastText(): (key: string, read: () => Promise<string>) => Promise<string> {
  let last: { key: string; text: Promise<string> } | null = null;
  let timer: ReturnType<typeof setTimeout> | undefined;
  return (key, read) => {
    if (last?.key !== key) last = { key, text: read() };
    const { text } = last;
    const forget = (): void => {
      if (last?.text === text) last = null;
    };
    clearTimeout(timer);
    timer = setTimeout(forget, KEPT_MS).unref();
    text.catch(forget);
    return text;
  };
}
