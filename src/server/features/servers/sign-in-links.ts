import { randomBytes } from "node:crypto";
import type { Actor } from "../../../lib/contract/actor";
import type { SignInLink } from "../../../lib/contract/credential";
import type { OpenSignInPage } from "../../engine/mcp-ports";
import { createTopic } from "../../platform/coordination/bulletin";
import type { SealedBulletin } from "../../platform/coordination/sealed-bulletin";
import { AppError } from "../../platform/shared/app-error";

interface IssuedLink {
  user: string;
  server: string;
  toolName: string;
  status: "open" | "connected" | "ended";
  /** Epoch milliseconds. */
  expiresAt: number;
}

/** Long enough for a sign-in with a second factor. */
const VALID_MS = 10 * 60_000;
const MAX_LINKS = 1000;
const ID_BYTES = 24;
const ID = /^[\w-]{32}$/;
const ASK_LIMIT_MS = 2_000;
const FIND = createTopic<string, IssuedLink | undefined>("sign_in_links.find");

export interface SignInLinkPorts {
  now(): number;
  /** The links of other instances are known to them alone. */
  bulletin: SealedBulletin;
  /** Null where only a browser knows the console's address. */
  getPage(id: string): string | null;
  validMs?: number;
}

export type SignInLinks = ReturnType<typeof createSignInLinks>;

/**
 * Links of calls that wait for their user's own account. A link names the user and holds no right: the page works with the
 * session of that user alone, so a link that was passed on connects nothing for anyone. Kept in memory: the calls end with their
 * process, and the links with them.
 */
export function createSignInLinks({ now, bulletin, getPage, validMs = VALID_MS }: SignInLinkPorts) {
  const issued = new Map<string, IssuedLink>();
  bulletin.on(FIND, (id) => issued.get(id));

  function forgetExpired(): void {
    for (const [id, { expiresAt }] of issued) if (expiresAt <= now()) issued.delete(id);
  }

  const open: OpenSignInPage = ({ server, user, toolName }) => {
    forgetExpired();
    const id = randomBytes(ID_BYTES).toString("base64url");
    const url = getPage(id);
    if (url === null || issued.size >= MAX_LINKS) return null;
    const link: IssuedLink = { user, server, toolName, status: "open", expiresAt: now() + validMs };
    issued.set(id, link);
    return {
      url,
      limitMs: validMs,
      close(isConnected) {
        link.status = isConnected ? "connected" : "ended";
      },
    };
  };

  async function find(id: string): Promise<IssuedLink | undefined> {
    if (!ID.test(id)) return undefined;
    const own = issued.get(id);
    if (own !== undefined) return own;
    const [other] = await bulletin.ask(FIND, id, { limitMs: ASK_LIMIT_MS, isEnough: () => true });
    return other;
  }

  return {
    open,
    /** @throws AppError that says why the link has no effect */
    async view({ id: viewer }: Actor, id: string): Promise<SignInLink> {
      const link = await find(id);
      if (link === undefined || link.expiresAt <= now()) {
        throw new AppError("NOT_FOUND", "This link is not valid or has expired: call the tool again for another one");
      }
      const { user, server, toolName, status } = link;
      if (user !== viewer) {
        throw new AppError("DENIED", "This link is for another user: sign in as the user whose client showed it");
      }
      if (status === "ended") {
        throw new AppError("CONFLICT", "The call of this link no longer waits: call the tool again for another link");
      }
      return { server, toolName, isConnected: status === "connected" };
    },
  };
}
