"""A skill server of FastMCP, for bench/clients-skills.ts. Argument: the folder of the skills."""

import sys

from fastmcp import FastMCP
from fastmcp.skills.provider import SkillsDirectoryProvider

server = FastMCP("skills-fastmcp", providers=[SkillsDirectoryProvider(sys.argv[1])])
server.run(transport="stdio", show_banner=False)
