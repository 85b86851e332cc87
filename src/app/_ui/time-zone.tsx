"use client";

import { createContext, type ReactNode, use, useEffect, useSyncExternalStore } from "react";
import { getBasePath, toStorageName } from "@/lib/base-path";
import { TIME_ZONE_COOKIE } from "./time-zone-cookie";

/** The zone in which the server rendered. */
const RenderedZone = createContext("UTC");

const subscribe = () => () => undefined;
const readZone = () => Intl.DateTimeFormat().resolvedOptions().timeZone || "UTC";
const YEAR_S = 31_536_000;

/** Knows the viewer's zone from an earlier page, so that the server's HTML already has its times. */
export function TimeZoneProvider({ rendered, children }: { rendered: string; children: ReactNode }) {
  // Outside system: the cookie from which the server renders the next page.
  useEffect(() => {
    const zone = readZone();
    if (zone === rendered) return;
    const cookie = `${toStorageName(TIME_ZONE_COOKIE)}=${zone}; path=${getBasePath() || "/"}; max-age=${YEAR_S}; samesite=lax`;
    // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API is missing where the page is served without TLS
    document.cookie = cookie;
  }, [rendered]);
  return <RenderedZone value={rendered}>{children}</RenderedZone>;
}

/** The viewer's time zone; until the page is hydrated, the one in which the server rendered. */
export function useTimeZone(): string {
  const rendered = use(RenderedZone);
  return useSyncExternalStore(subscribe, readZone, () => rendered);
}
