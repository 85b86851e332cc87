import { generateKeyPairSync, sign } from "node:crypto";
import type { RequestListener } from "node:http";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";
import { createAddressPolicy } from "./address-policy";
import { createOutgoingAgents } from "./outgoing-agents";
import { createOutgoingFetch } from "./outgoing-fetch";

/** A DER value: tag, length, content. */
function encode(tag: number, ...parts: Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  const { length } = content;
  const size = length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...size]), content]);
}

const hex = (text: string): Buffer => Buffer.from(text, "hex");
const SEQUENCE = 0x30;
const ECDSA_WITH_SHA256 = encode(SEQUENCE, encode(0x06, hex("2a8648ce3d040302")));

/** A self-signed certificate for 127.0.0.1 and localhost. */
function createCertificate(): { key: string; cert: string } {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const commonName = encode(SEQUENCE, encode(0x06, hex("550403")), encode(0x0c, Buffer.from("localhost")));
  const name = encode(SEQUENCE, encode(0x31, commonName));
  const validity = encode(SEQUENCE, ...["200101000000Z", "491231000000Z"].map((at) => encode(0x17, Buffer.from(at))));
  const names = encode(SEQUENCE, encode(0x82, Buffer.from("localhost")), encode(0x87, Buffer.from([127, 0, 0, 1])));
  const alternatives = encode(SEQUENCE, encode(0x06, hex("551d11")), encode(0x04, names));
  const body = encode(
    SEQUENCE,
    encode(0xa0, encode(0x02, hex("02"))),
    encode(0x02, hex("01")),
    ECDSA_WITH_SHA256,
    name,
    validity,
    name,
    publicKey.export({ type: "spki", format: "der" }),
    encode(0xa3, encode(SEQUENCE, alternatives)),
  );
  const signature = encode(0x03, hex("00"), sign("sha256", body, privateKey));
  const certificate = encode(SEQUENCE, body, ECDSA_WITH_SHA256, signature).toString("base64");
  const lines = certificate.match(/.{1,64}/g)?.join("\n");
  return {
    key: privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
    cert: `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`,
  };
}

/** An https server on loopback, and a `fetch` under an address policy that trusts its certificate. */
export async function startTlsServer(listener: RequestListener) {
  const certificate = createCertificate();
  const server = createServer(certificate, listener);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  const openFetch = (privateAddresses: string) => {
    const agents = createOutgoingAgents(createAddressPolicy({ privateAddresses, local: false }));
    agents["https:"].options.ca = certificate.cert;
    return createOutgoingFetch(agents);
  };
  return { url: `https://127.0.0.1:${(server.address() as AddressInfo).port}`, openFetch };
}
