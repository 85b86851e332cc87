/** A route and no file of its own kind: Next would link such a file by the path of the build. */
const ICON = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><title>Toolroom</title><style>.f{fill:#1c1b19}.s{stroke:#fbfbfa}@media (prefers-color-scheme:dark){.f{fill:#eceae6}.s{stroke:#131312}}</style><rect class="f" width="32" height="32" rx="8"/><rect class="s" x="9.5" y="9.5" width="13" height="13" rx="3" fill="none" stroke-width="2.6"/></svg>`;

export function GET(): Response {
  return new Response(ICON, { headers: { "content-type": "image/svg+xml", "cache-control": "public, max-age=86400" } });
}
