const POLL_MS = 5_000;

/** A running check tells how far it is; asked as well, should the events not come. */
export const runningPollMs = (running: boolean): number | false => (running ? POLL_MS : false);
