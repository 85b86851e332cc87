/** Sent by the console with every request, to tell its users from programs in the execution log. */
export const CONSOLE_HEADER = "x-toolroom-console";
