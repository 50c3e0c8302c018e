// The door: what passes between an MCP client and its server, seen on its way.
export { Conversation } from './conversation.ts';
export { type HttpProxy, type HttpProxyOptions, startHttpProxy } from './http-proxy.ts';
export type { Passing, Refused, Ruling } from './passing.ts';
export { serveTools, ToolFailure, type ToolOffer } from './rpc-server.ts';
export { type ClientEnds, runStdio, type ServerEnd, type ServerProcess } from './stdio.ts';
export { type AnyTransport, decorate } from './transport.ts';
