import { z } from "zod";

/** The cursor of a list in memory: the position and name of the last row of the page before. */
export const namedCursorSchema = z
  .string()
  .regex(/^\d{1,9} .{1,300}$/, "must be the `nextCursor` of the page before")
  .optional();
