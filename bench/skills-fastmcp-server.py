"""A skill server of FastMCP, for bench/clients-skills.ts. Arguments: the folder of the skills, the port."""

import sys

from fastmcp import FastMCP
from fastmcp.skills.provider import SkillsDirectoryProvider

server = FastMCP("skills-fastmcp", providers=[SkillsDirectoryProvider(sys.argv[1])])
server.run(transport="http", host="127.0.0.1", port=int(sys.argv[2]), show_banner=False)
