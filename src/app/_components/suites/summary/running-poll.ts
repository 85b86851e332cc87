const POLL_MS = 5_000;

/** Polls a running check, in case its progress events do not arrive. */
export const runningPollMs = (running: boolean): number | false => (running ? POLL_MS : false);
