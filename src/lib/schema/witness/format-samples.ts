/** Texts of each format; for other formats no text counts as valid. */
export const FORMAT_SAMPLES: Readonly<Record<string, readonly string[]>> = {
  date: ["2020-01-01"],
  time: ["12:00:00Z"],
  "date-time": ["2020-01-01T00:00:00Z"],
  duration: ["P1D"],
  email: ["a@example.com"],
  hostname: ["example.com"],
  ipv4: ["192.0.2.1"],
  ipv6: ["2001:db8::1"],
  uri: ["https://example.com/"],
  url: ["https://example.com/"],
  "uri-reference": ["https://example.com/", "a"],
  uuid: ["00000000-0000-4000-8000-000000000000"],
  regex: ["^a$"],
  "json-pointer": ["/a", ""],
  byte: ["YQ=="],
};
