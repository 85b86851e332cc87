import { z } from "zod";

/** The revision that the person saw. An edit or a delete that names none overwrites whatever is there. */
export const revision = z.number().int().min(1).optional();
