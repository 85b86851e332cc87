/** What waits while a server is paused, in the words of pages, commands and errors. Without zod: the browser reads it. */
export const PAUSED_WORK =
  "schedules, webhooks, alerts, approval links, retention, unfinished runs, connections to servers and telemetry";
