export { createHostPolicy } from "./host-policy";
export { judgeRequest } from "./judge-request";
export { contentSecurityPolicy, createNonce, FILE_HEADERS, SECURITY_HEADERS } from "./security-headers";
