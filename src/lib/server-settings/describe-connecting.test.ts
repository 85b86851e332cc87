import { describe, expect, it } from "vitest";
import { describeConnecting } from "./describe-connecting";

const describeLocal = (target: string, output: string[] = [], isFirst = true) =>
  describeConnecting({ isLocal: true, target, isFirst, output });

describe("what a server that connects does", () => {
  it.each([
    ["npx -y @modelcontextprotocol/server-everything", "@modelcontextprotocol/server-everything"],
    ["npx --yes -p @scope/tools tools-server", "@scope/tools"],
    ["/usr/local/bin/npx -y server@1.2.0 --root /srv", "server@1.2.0"],
    ["npx.cmd -y server", "server"],
    ["npm exec -- server", "server"],
    ["pnpm dlx server --flag", "server"],
    ["uvx mcp-server-git --repository .", "mcp-server-git"],
    ["uvx --python 3.12 --from git+https://example.com/x mcp-x", "git+https://example.com/x"],
    ["uv tool run mcp-server-git", "mcp-server-git"],
    ["pipx run mcp-server-git", "mcp-server-git"],
    ["KEY=value bunx server", "server"],
  ])("is the download of its package at the first start: %s", (target, name) => {
    expect(describeLocal(target)).toBe(`Downloading the package ${name}`);
  });

  it("is another word for images, for environments, and for programs that are there", () => {
    expect(describeLocal("docker run -i --rm mcp/fetch")).toBe("Pulling the image");
    expect(describeLocal("uv run server.py")).toBe("Downloading the package");
    for (const target of ["node server.js", "npm run serve", "docker exec x y", "python -m server", "'unclosed"]) {
      expect(describeLocal(target), target).toBe("Starting the server");
    }
    expect(describeConnecting({ isLocal: false, target: "https://mcp.example.com/mcp", isFirst: true })).toBe(
      "Waiting for an answer from mcp.example.com",
    );
  });

  it("is the start of the server once the program itself writes, and when its package is known from before", () => {
    const runner = ["npm warn deprecated x", "Downloading numpy (16.0MiB)", "Installed 30 packages in 1s"];
    expect(describeLocal("uvx server", runner)).toBe("Downloading the package server");
    expect(describeLocal("uvx server", [...runner, "Server listening on stdio"])).toBe("Starting the server");
    expect(describeLocal("npx -y server", [], false)).toBe("Starting the server");
  });
});
