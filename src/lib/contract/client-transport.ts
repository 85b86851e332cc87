/** How a client reaches Toolroom. */
export const CLIENT_TRANSPORTS = ["http", "stdio"] as const;
export type ClientTransport = (typeof CLIENT_TRANSPORTS)[number];
