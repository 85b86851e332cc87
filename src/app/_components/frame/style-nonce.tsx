"use client";

import { setNonce } from "get-nonce";

/** Radix puts a style element into the page while a dialog is open; the policy lets it only with the request's nonce. */
export function StyleNonce({ nonce }: { nonce: string }) {
  if (typeof window !== "undefined") setNonce(nonce);
  return null;
}
