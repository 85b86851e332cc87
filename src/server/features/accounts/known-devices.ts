import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import { z } from "zod";
import type { RequestHeaders } from "../../../lib/http-guard/request-headers";

/** The limit of users who share a browser; the one who signed in longest ago is forgotten. */
const MAX_PEOPLE = 8;
/** The longest lifetime that browsers allow. */
const MAX_AGE_SECONDS = 400 * 24 * 60 * 60;
const content = z.object({ device: z.string(), people: z.array(z.string()) });

export interface KnownDeviceOptions {
  cookie: { name: string; secure: boolean };
  /** The secret that signs the cookie. */
  secret: string;
}

export type KnownDevices = ReturnType<typeof createKnownDevices>;

/**
 * Recognizes browsers in which a user has signed in before, by a signed cookie. It allows nothing: wrong passwords from
 * such a browser are only counted apart from everyone else's.
 */
export function createKnownDevices({ cookie, secret }: KnownDeviceOptions) {
  const name = `${cookie.name}_known`;
  const sign = (text: string): Buffer => createHmac("sha256", secret).update(text).digest();

  function read(headers: RequestHeaders): z.infer<typeof content> | null {
    const pair = (headers.get("cookie") ?? "").split(";").find((part) => part.trim().startsWith(`${name}=`));
    const [text = "", signature = ""] = (pair?.trim().slice(name.length + 1) ?? "").split(".");
    const given = Buffer.from(signature, "base64url");
    const wanted = sign(text);
    if (given.length !== wanted.length || !timingSafeEqual(given, wanted)) return null;
    return content.parse(JSON.parse(Buffer.from(text, "base64url").toString()));
  }

  return {
    /** Null for a browser in which this user has not signed in. */
    find(headers: RequestHeaders, userId: string): string | null {
      const known = read(headers);
      return known?.people.includes(userId) === true ? known.device : null;
    },

    /** The `Set-Cookie` header after a user has signed in. */
    remember(headers: RequestHeaders, userId: string): string {
      const known = read(headers) ?? { device: randomBytes(16).toString("base64url"), people: [] };
      const users = [userId, ...known.people.filter((id) => id !== userId)].slice(0, MAX_PEOPLE);
      const text = Buffer.from(JSON.stringify({ device: known.device, people: users })).toString("base64url");
      const secure = cookie.secure ? "; Secure" : "";
      const value = `${text}.${sign(text).toString("base64url")}`;
      return `${name}=${value}; Max-Age=${MAX_AGE_SECONDS}; Path=/; HttpOnly; SameSite=Lax${secure}`;
    },
  };
}
