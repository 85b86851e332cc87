import { AsyncLocalStorage } from "node:async_hooks";

/** The line that is sent: the SDK would serialize its message again, and the client's text would be lost. */
export const sentLine = new AsyncLocalStorage();

/** @type {typeof fetch} */
export const fetchWithLine = (url, init) => {
  const line = sentLine.getStore();
  return fetch(url, init?.method === "POST" && typeof line === "string" ? { ...init, body: line } : init);
};
