import { rowNumber } from "../../../lib/contract/row-number";

/** The revision that the user saw. An edit or a delete that names none overwrites whatever is there. */
export const revision = rowNumber.min(1).optional();
