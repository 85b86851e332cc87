import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { findValueSecrets } from "./hide-secrets";

const PLAIN_NAMES = [
  "MODEL",
  "REGION",
  "DB_NAME",
  "APP_VERSION",
  "MAX_TOKENS",
  "LOG_LEVEL",
  "OWNER",
  "X-Tenant",
  "PORT",
];
const SECRET_NAMES = [
  "API_KEY",
  "GITHUB_TOKEN",
  "DB_PASSWORD",
  "Authorization",
  "Cookie",
  "CLIENT_SECRET",
  "X-Api-Key",
];
/** Names that speak of a credential, and hold where or what it is. */
const DATA_NAMES = ["AUTH_REGION", "API_KEY_FILE", "TOKEN_VERSION", "PASSWORD_MODE", "SECRET_HOST"];

const number = (min: number, max: number) => fc.integer({ min, max });
const word = fc.constantFrom("orders", "customer", "production", "sonnet", "instruct", "turbo", "preview", "east");
const words = (min: number, max: number) => fc.array(word, { minLength: min, maxLength: max });

const DATA: Record<string, fc.Arbitrary<string>> = {
  "a model": fc
    .tuple(
      fc.constantFrom("gpt-4o", "claude-3-5", "meta-llama-3.1-405b", "text-embedding-3"),
      words(1, 4),
      fc.boolean(),
    )
    .map(([family, parts, dated]) => [family, ...parts, ...(dated ? ["20241022"] : [])].join("-")),
  "a region": fc.tuple(fc.constantFrom("us", "eu", "ap"), word, number(1, 9)).map((parts) => parts.join("-")),
  "a version": fc
    .tuple(number(0, 99), number(0, 99), number(0, 999), fc.constantFrom("", "-beta.2", "-rc1"))
    .map(([major, minor, patch, tag]) => `${major}.${minor}.${patch}${tag}`),
  "a date": fc
    .date({ noInvalidDate: true, min: new Date(0), max: new Date("2100-01-01") })
    .map((date) => date.toISOString()),
  "a day": fc
    .date({ noInvalidDate: true, min: new Date(0), max: new Date("2100-01-01") })
    .map((date) => date.toISOString().slice(0, 10)),
  "an e-mail address": fc.tuple(word, word).map(([user, host]) => `${user}@${host}.example.org`),
  "a database name": fc.tuple(words(1, 5), number(1, 2030)).map(([parts, year]) => [...parts, year].join("_")),
  "true or false": fc.constantFrom("true", "false", "TRUE", "yes", "no"),
  "a path": words(1, 6).map((parts) => `/${parts.join("/")}`),
  "a port": number(1, 65_535).map(String),
  "a number": number(0, 2_000_000_000).map(String),
  "a locale": fc.constantFrom("sk_SK.UTF-8", "pk-PK", "en_US.UTF-8", "de-DE"),
  "an address": fc.tuple(word, word, word).map(([host, path, last]) => `https://${host}.example.org/${path}/${last}`),
  "a sentence": words(2, 8).map((parts) => parts.join(" ")),
};

const fromAlphabet = (alphabet: string, min: number, max: number) =>
  fc.string({ unit: fc.constantFrom(...alphabet), minLength: min, maxLength: max });
const HEX = "0123456789abcdef";
const LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";

const SECRETS: Record<string, fc.Arbitrary<string>> = {
  "an OpenAI key": fromAlphabet(LETTERS, 16, 48).map((tail) => `sk-${tail}`),
  "a GitHub token": fromAlphabet(LETTERS, 36, 36).map((tail) => `ghp_${tail}`),
  "an AWS key": fromAlphabet("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", 16, 16).map((tail) => `AKIA${tail}`),
  "a bearer token": fromAlphabet(LETTERS, 10, 40).map((tail) => `Bearer ${tail}`),
  "a JSON Web Token": fromAlphabet(LETTERS, 20, 40).map((part) => `eyJ${part}.eyJ${part}.${part}`),
  "random hex": fromAlphabet(HEX, 32, 64).filter((text) => /\d/.test(text) && /[a-f]/.test(text)),
  "a UUID": fc.uuid().filter((text) => /\d/.test(text) && /[a-f]/.test(text)),
  "random letters and digits": fromAlphabet(LETTERS, 24, 64).filter(
    (text) => /\d/.test(text) && /[a-z]/.test(text) && /[A-Z]/.test(text),
  ),
};

describe("the rule for secrets in a setting's value", () => {
  it.each(Object.keys(DATA))("finds none in %s, whatever the setting is called", (kind) => {
    fc.assert(
      fc.property(fc.constantFrom(...PLAIN_NAMES, ...DATA_NAMES), DATA[kind] as fc.Arbitrary<string>, (name, value) => {
        expect(findValueSecrets(name, value)).toEqual([]);
      }),
    );
  });

  it.each(Object.keys(SECRETS))("finds %s, whatever the setting is called", (kind) => {
    const names = fc.constantFrom(...PLAIN_NAMES, ...DATA_NAMES, ...SECRET_NAMES);
    fc.assert(
      fc.property(names, SECRETS[kind] as fc.Arbitrary<string>, (name, value) => {
        expect(findValueSecrets(name, value)).toEqual([value]);
      }),
    );
  });

  it("finds any text under a name of a secret", () => {
    const texts = fc.oneof(
      words(1, 3).map((parts) => parts.join(" ")),
      fromAlphabet(LETTERS, 7, 12),
    );
    fc.assert(
      fc.property(fc.constantFrom(...SECRET_NAMES), texts, (name, value) => {
        expect(findValueSecrets(name, value)).toEqual([value]);
      }),
    );
  });

  it("finds the password of an address and of a connection string, and leaves the rest", () => {
    fc.assert(
      fc.property(fromAlphabet(LETTERS, 6, 20), word, (password, host) => {
        expect(findValueSecrets("DATABASE_URL", `postgres://ada:${password}@${host}:5432/db`).join()).toContain(
          password,
        );
        expect(findValueSecrets("DSN", `Server=${host};Database=orders;Password=${password}`)).toEqual([password]);
        expect(findValueSecrets("HOOK", `https://${host}.example.org/in?token=${password}&page=2`)).toEqual([password]);
      }),
    );
  });
});
