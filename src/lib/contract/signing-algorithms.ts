/** The algorithms with which a client may sign its assertion, by the names of RFC 7518. */
export const SIGNING_ALGORITHMS = [
  "RS256",
  "RS384",
  "RS512",
  "PS256",
  "PS384",
  "PS512",
  "ES256",
  "ES384",
  "ES512",
] as const;

export type SigningAlgorithm = (typeof SIGNING_ALGORITHMS)[number];
