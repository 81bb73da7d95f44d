/** The part of npm `raw-socket` 1.8 that is used: its `Socket` only for the `SocketWrap` inside. */
declare module 'raw-socket' {
  /** One SOCK_RAW socket and its poll handle. Every call is synchronous; a failing one throws strerror(3)'s text. */
  export interface SocketWrap {
    on(event: 'recvReady' | 'sendReady' | 'close', listener: () => void): this;
    on(event: 'error', listener: (error: Error) => void): this;
    removeAllListeners(): this;
    send(buffer: Buffer, offset: number, length: number, address: string, sent: (bytes: number) => void): void;
    recv(buffer: Buffer, received: (buffer: Buffer, bytes: number, source: string) => void): void;
    setOption(level: number, option: number, value: number): void;
    setOption(level: number, option: number, value: Buffer, length: number): void;
    close(): void;
  }

  interface SocketOptions {
    protocol: number;
    /** 1 is IPv4, 2 is IPv6. */
    addressFamily: number;
  }

  const raw: { createSocket(options: SocketOptions): { wrap: SocketWrap } };
  export default raw;
}
