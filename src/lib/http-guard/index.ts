export { createHostPolicy } from "./host-policy";
export { judgeRequest } from "./judge-request";
export { contentSecurityPolicy, createNonce, SECURITY_HEADERS } from "./security-headers";
