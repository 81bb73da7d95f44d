/** The ICMP process with "random" numbers that are always the same: two of them share identifier, sequence and cookie. */
import { serveIcmp } from '../../agent/probes/icmp/serve.ts';

serveIcmp((buffer) => buffer.fill(0x5a));
