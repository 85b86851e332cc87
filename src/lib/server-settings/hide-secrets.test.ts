import { describe, expect, it } from "vitest";
import { hideAddressSecrets, hideSecretArguments } from "./hide-secrets";

const hidden = (...args: string[]) => hideSecretArguments(args, "•");

describe("secrets in a command's arguments", () => {
  it("hides the value after an option that is named like a secret, and keeps the names", () => {
    expect(hidden("-y", "pkg", "--api-key", "abc", "--token=abc", "--root", "/srv")).toEqual([
      "-y",
      "pkg",
      "--api-key",
      "•",
      "--token=•",
      "--root",
      "/srv",
    ]);
    expect(hidden("--header", "Authorization: Bearer abc", "-e", "GITHUB_TOKEN=abc", "-e", "MODE=fast")).toEqual([
      "--header",
      "Authorization: •",
      "-e",
      "GITHUB_TOKEN=•",
      "-e",
      "MODE=fast",
    ]);
  });

  it("hides well-known keys and long random texts wherever they are", () => {
    const random = "a1".repeat(20);
    expect(hidden("sk-abc123", "ghp_abc", `--seed=${random}`, random)).toEqual(["•", "•", "--seed=•", "•"]);
  });

  it("shows references, numbers, packages and paths", () => {
    // biome-ignore lint/suspicious/noTemplateCurlyInString: references to variables
    const args = ["--token", "${TOKEN}", "--max-tokens", "500", "@scope/server-files@1.2.3", "C:\\keys", "monkey=1"];
    expect(hidden(...args)).toEqual(args);
  });
});

describe("a value after an option that is named like a secret", () => {
  it.each([
    [
      ["--api-key", "-value"],
      ["--api-key", "•"],
    ],
    [
      ["--api-key", "-x1Y2z3"],
      ["--api-key", "•"],
    ],
    [
      ["--api-key", "--aB3x9Kd"],
      ["--api-key", "•"],
    ],
    [
      ["-token", "-aB3x9Kd"],
      ["-token", "•"],
    ],
    [
      ["--api-key", "Zm9v=="],
      ["--api-key", "•"],
    ],
    [
      ["--cookie", "session=abc"],
      ["--cookie", "•"],
    ],
    [["run --api-key -value --root /srv"], ["run --api-key • --root /srv"]],
  ])("is hidden where it begins with a dash or has a name of its own: %j", (args, shown) => {
    expect(hidden(...args)).toEqual(shown);
  });

  it.each([
    [["--auth", "--verbose"]],
    [["--auth", "--max-old-space-size=4096", "--sha256", "--sha-256"]],
    [["--auth", "-v", "-j4", "-la", "--", "server"]],
    [["--auth", "-Dmode=fast"]],
    [["--no-auth", "-verbose"]],
    [["--password-stdin", "-"]],
    [["-auth", "-port", "8080"]],
    [["--max-tokens", "-1"]],
    // biome-ignore lint/suspicious/noTemplateCurlyInString: references to variables
    [["--cookie", "session=${SESSION}"]],
    [["run --auth --verbose -v --max-tokens -1 -auth -port 80"]],
  ])("is not taken from an option, a number or a reference: %j", (args) => {
    expect(hidden(...args)).toEqual(args);
  });
});

describe("base64 with slashes and without padding", () => {
  const secrets = ["wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", "q8Xn/2VdLk0TzR+uW5sY/aHc9EmPoB7gJ4iKfQ1"];
  it.each(secrets)("is hidden as an argument, as a value and in a command line: %s", (secret) => {
    expect(hidden(secret, `--seed=${secret}`, `SEED=${secret}`, `run ${secret} now`)).toEqual([
      "•",
      "--seed=•",
      "SEED=•",
      "run • now",
    ]);
  });

  it.each([
    "Users/Ada/Projects/MyServer/Dist2",
    "/Users/AdaLovelace/Projects/MyServer2/build",
    "MyApp/MyDocs/MyLib2/MyServer/Main",
    "usr/local/lib/node/modules/Server1",
    "Cache/sha256/0a1b2c3d4e5f607182/x",
    "meta/Llama3Point1/Instruct70BFP8AWQ",
    "com/example/Server2/HTTPHandlerFactory/V1",
  ])("is not found in the path or name %s", (path) => {
    expect(hidden(path, `--root=${path}`, `run ${path} now`)).toEqual([path, `--root=${path}`, `run ${path} now`]);
  });
});

describe("a login in one argument", () => {
  it("hides the password after --user, and shows ids of users and groups", () => {
    expect(hidden("--user", "ada:pw12", "-u", "1000:1000", "--user", "ada")).toEqual([
      "--user",
      "ada:•",
      "-u",
      "1000:1000",
      "--user",
      "ada",
    ]);
  });
});

describe("secrets inside one argument", () => {
  it.each([
    ["--dsn=postgres://ada:pw@db/x", "--dsn=postgres://•@db/x"],
    ["DATABASE_URL=postgres://ada:pw@db/x", "DATABASE_URL=postgres://•@db/x"],
    ["jdbc:postgresql://db/x?user=ada&password=pw", "jdbc:postgresql://db/x?user=ada&password=•"],
    ["Server=db;User Id=ada;Password=pw12;Timeout=5", "Server=db;User Id=ada;Password=•;Timeout=5"],
    ["--header=Authorization: Bearer abc", "--header=Authorization: •"],
    ['{"mode":"fast","apiKey":"abc","max":5}', '{"mode":"fast","apiKey":"•","max":5}'],
    ['{"url":"https://a:b@h/?token=abc"}', '{"url":"https://•@h/?token=•"}'],
    ["exec server --api-key abc --root /srv ghp_abcdef", "exec server --api-key • --root /srv •"],
    ["git+ssh://git@github.com/team/server.git", "git+ssh://git@github.com/team/server.git"],
    ["MYSQL_PWD=pw12", "MYSQL_PWD=•"],
    ["DB_PASS=pw12", "DB_PASS=•"],
    ["REDIS_AUTH=pw12", "REDIS_AUTH=•"],
    ["GH_PAT=pw12", "GH_PAT=•"],
    ["--sessionKey=pw12", "--sessionKey=•"],
    ["AccountName=x;AccountKey=Zm9v/YmFy+aGVs==;EndpointSuffix=y", "AccountName=x;AccountKey=•;EndpointSuffix=y"],
    ["ada:pw12@tcp(db:3306)/x", "ada:•@tcp(db:3306)/x"],
    ["ada:pw12@db.host:5432/x", "ada:•@db.host:5432/x"],
    ["SG.abcdefghijklmnop12.qwertyuiopasdfghjkl", "•"],
    ["https:ada:pw@h", "https:•@h"],
    ["https:\\\\ada:pw@h\\x", "https:\\\\•@h\\x"],
    ["https:/ada:pw@h", "https:/•@h"],
    ["https:///ada:pw@h/x", "https:///•@h/x"],
    ["--proxy=http:ada:pw@h", "--proxy=http:•@h"],
    ["curl https:ada:pw@h -v", "curl https:•@h -v"],
    ["http:8080", "http:8080"],
    ["http:localhost:8080/x", "http:localhost:8080/x"],
    ["npm:server-files@1.2.3", "npm:server-files@1.2.3"],
    ["image:tag@sha256:0123abcd", "image:tag@sha256:0123abcd"],
    ["compass=north", "compass=north"],
    ["author=ada", "author=ada"],
  ])("hides nothing but the secret in %s", (argument, shown) => {
    expect(hidden(argument)).toEqual([shown]);
  });

  it("takes bounded time for a long text without secrets", () => {
    for (const part of ["a:", "http:", "-a ", "--token ", "aB3/", "https:/", "a@"]) {
      const text = part.repeat(30_000).slice(0, 60_000);
      expect(hidden(text)).toHaveLength(1);
    }
  });
});

describe("secrets in an address", () => {
  it("hides a random segment of the path, which is what lets a caller in, and shows titles and commits", () => {
    const hide = (address: string) => hideAddressSecrets(address, "•");
    expect(hide("https://host/s/0a1b2c3d-0a1b-4c3d-8e9f-0a1b2c3d4e5f/mcp#key=abc")).toBe("https://host/s/•/mcp#key=•");
    const title = "https://host/my-long-document-with-a-title-version-2/openapi.json";
    expect(hide(title)).toBe(title);
    expect(hide(`https://raw.host/${"ab12".repeat(10)}/x.json`)).toBe(`https://raw.host/${"ab12".repeat(10)}/x.json`);
  });

  it.each([
    [
      "https://hooks.host/services/T00000000/B00000000/XyZ12abcDEFghi34JKLmno56",
      "https://hooks.host/services/T00000000/B00000000/•",
    ],
    ["https://api.host/bot123456789:AAEhBOweik6ad9r_QXMENQjcrGbqCr4K-bc/x", "https://api.host/•/x"],
    ["https://h/?api%5Fkey=pw12&DB_PASS=pw12", "https://h/?api%5Fkey=•&DB_PASS=•"],
    ["https://h/?code=abcdef12345678901234567890123456%3D%3D", "https://h/?code=•"],
    ["https://h/?code=abc12%2Fdef34ghi56jkl78%2Fmno&page=2", "https://h/?code=•&page=2"],
    ["https://h/?code=4%2F0AX4XfWh-abc_def12345", "https://h/?code=•"],
    ["https://h/?sig2=q8Xn%2F2VdLk0TzR%2BuW5sY%2FaHc9EmPoB7gJ4iKfQ1", "https://h/?sig2=•"],
    ["https://h\\s\\0a1b2c3d-0a1b-4c3d-8e9f-0a1b2c3d4e5f\\mcp", "https://h\\s\\•\\mcp"],
    ["https://h/s\\0a1b2c3d-0a1b-4c3d-8e9f-0a1b2c3d4e5f", "https://h/s\\•"],
    ["https:\\\\ada:pw@h\\0a1b2c3d-0a1b-4c3d-8e9f-0a1b2c3d4e5f", "https:\\\\•@h\\•"],
    ["https:h/s/0a1b2c3d-0a1b-4c3d-8e9f-0a1b2c3d4e5f/mcp", "https:h/s/•/mcp"],
    ["https://h/?code=200&lang=en-US", "https://h/?code=200&lang=en-US"],
    ["https://h/?code=ERR_MODULE_NOT_FOUND_HERE", "https://h/?code=ERR_MODULE_NOT_FOUND_HERE"],
    ["https://h/?file=docs%2Fv2%2Fintroduction.html", "https://h/?file=docs%2Fv2%2Fintroduction.html"],
  ])("hides what lets a caller in, in %s", (address, shown) => {
    expect(hideAddressSecrets(address, "•")).toBe(shown);
  });

  it("hides passwords and query values that look like secrets", () => {
    const hide = (address: string) => hideAddressSecrets(address, "•");
    expect(hide("https://ada:pw@host/mcp?api_key=abc&page=2#x")).toBe("https://•@host/mcp?api_key=•&page=2#x");
    // biome-ignore lint/suspicious/noTemplateCurlyInString: references to variables
    for (const address of ["https://host/mcp", "https://host/?token=${TOKEN}", "not an address", ""]) {
      expect(hide(address)).toBe(address);
    }
  });
});
