import { rowNumber } from "../../../lib/contract/row-number";

/** The revision that the user saw. An edit or a delete without it overwrites any. */
export const revision = rowNumber.min(1).optional();
