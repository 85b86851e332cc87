import { UNCOUNTED_SOURCES } from "../../../../lib/contract/call-class";

/** Sources whose calls no figure includes. */
export const UNCOUNTED_SQL = `(${UNCOUNTED_SOURCES.map((source) => `'${source}'`).join(", ")})`;
/** Unary plus: the index of sources must not be chosen for this. */
export const COUNTED = `+source NOT IN ${UNCOUNTED_SQL}`;
