/** An agent of a test: pings a host as its arguments say and prints the result, the ICMP process's id first. */
import { startIcmp } from '../../agent/probes/icmp/client.ts';

const [address = '', count = '1', timeoutMs = '1000'] = process.argv.slice(2);
const icmp = startIcmp();
await icmp.able();
console.log(icmp.pid);
const never = new AbortController().signal;
console.log(JSON.stringify(await icmp.ping(address, 4, Number(count), Number(timeoutMs), never)));
