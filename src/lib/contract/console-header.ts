/** Sent by the console with every request, so that the logbook can tell a person at a form from a program. */
export const CONSOLE_HEADER = "x-toolroom-console";
