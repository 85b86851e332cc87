/** Issuers differ in whether they write a slash at the end. */
export const withoutEndSlash = (issuer: string): string => issuer.replace(/\/$/, "");

export const sameIssuer = (one: string, other: string): boolean => withoutEndSlash(one) === withoutEndSlash(other);
