import { z } from "zod";

/** Numbers of rows, steps and revisions are columns of 32 bits. */
export const MAX_ROW_NUMBER = 2_147_483_647;
export const rowNumber = z.number().int().min(0).max(MAX_ROW_NUMBER);
