/** @type {import("next").NextConfig} */
export default {
  poweredByHeader: false,
  reactStrictMode: true,
  serverExternalPackages: ["pino"],
  // Types are checked once, by `npm run check`.
  typescript: { ignoreBuildErrors: true },
  devIndicators: false,
  // A catalog file of 10 MB, in quotes within a request: quotation marks and line breaks take two characters there.
  experimental: { proxyClientMaxBodySize: "24mb" },
};
