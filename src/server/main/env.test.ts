import { describe, expect, it } from "vitest";
import { readEnv } from "./env";

const URL = "postgresql://ada:geh%40im@db.example:5432/tools?sslmode=require";
const KEY = { TOOLROOM_SECRET_KEY: "sixteen characters at least" };

describe("a database of PostgreSQL in the environment", () => {
  it("is shown without user, password and options, and is no variable of MCP servers", () => {
    const { database, variables } = readEnv({
      DATABASE_URL: URL,
      TOOLROOM_DATA: "/srv/data",
      HOME: "/home/ada",
      ...KEY,
    });
    expect(database).toMatchObject({ kind: "postgres", url: URL, folder: "/srv/data" });
    expect(database.location).toBe("postgresql://db.example:5432/tools");
    expect(variables).toEqual({ TOOLROOM_DATA: "/srv/data", HOME: "/home/ada" });
    expect(readEnv({ DATABASE_URL: "file:./a.db" }).variables).toEqual({ DATABASE_URL: "file:./a.db" });
  });

  it("needs the key in the environment, and an address that names a database", () => {
    expect(() => readEnv({ DATABASE_URL: URL })).toThrow(
      /TOOLROOM_SECRET_KEY: must be set with a PostgreSQL database.*openssl rand/,
    );
    for (const url of ["postgresql://", "postgres://ada:geh@im@db/a/b", "postgresql://db.example"]) {
      const read = () => readEnv({ DATABASE_URL: url, ...KEY });
      expect(read).toThrow(/DATABASE_URL is not the address of a PostgreSQL database\. It looks like/);
      expect(read).not.toThrow(/geh/);
    }
    expect(() => readEnv({ DATABASE_URL: "mysql://db/a" })).toThrow(/DATABASE_URL must start with "file:"/);
  });
});
