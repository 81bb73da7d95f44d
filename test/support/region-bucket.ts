import { jetstream, jetstreamManager } from '@nats-io/jetstream';
import { Kvm } from '@nats-io/kv';
import { connect } from '@nats-io/transport-node';
import { answerDefinitionRequests } from '../../collector/definition-requests.ts';
import { revisionOf, type Definition } from '../../core/definition.ts';
import {
  bucketOf,
  encodeDefinition,
  encodeManifest,
  hashDefinitions,
  keyOfMonitor,
  MANIFEST_KEY,
} from '../../proto/kv.ts';
import { createLogger } from '../../runtime/logger.ts';
import { testSigner } from './test-identity.ts';

/** Writes a region's bucket as a collector would, and as one never would; and answers agents as a collector does. */
export interface RegionBucket {
  put(key: string, value: string): Promise<void>;
  /** The same with the signature of the test's collectors. */
  putSigned(key: string, content: string): Promise<void>;
  remove(key: string): Promise<void>;
  /** Writes the definitions and then their manifest. */
  publish(definitions: readonly Definition[], generation: number, epoch?: string): Promise<void>;
  /** Only the manifest of these. */
  putManifest(definitions: readonly Definition[], generation: number, epoch?: string): Promise<void>;
  /** Deletes the bucket and makes it again, empty. */
  recreate(): Promise<void>;
  close(): Promise<void>;
}

export async function openRegionBucket(natsUrl: string, region: string): Promise<RegionBucket> {
  const connection = await connect({ servers: natsUrl, maxReconnectAttempts: -1, reconnectTimeWait: 100 });
  answerDefinitionRequests(connection, createLogger('collector', 'silent'));
  const kvm = new Kvm(jetstream(connection));
  let kv = await kvm.create(bucketOf(region));
  const bucket: RegionBucket = {
    async put(key, value) {
      await kv.put(key, value);
    },
    putSigned: (key, content) => bucket.put(key, testSigner.seal(bucketOf(region), key, content)),
    remove: (key) => kv.delete(key),
    async publish(definitions, generation, epoch = 'epoch-1') {
      await Promise.all(
        definitions.map((definition) =>
          bucket.putSigned(keyOfMonitor(definition.monitorId), encodeDefinition(epoch, definition)),
        ),
      );
      await bucket.putManifest(definitions, generation, epoch);
    },
    async putManifest(definitions, generation, epoch = 'epoch-1') {
      const hash = hashDefinitions(definitions.map((one) => [one.monitorId, revisionOf(one)]));
      await bucket.putSigned(MANIFEST_KEY, encodeManifest({ epoch, generation, count: definitions.length, hash }));
    },
    async recreate() {
      const manager = await jetstreamManager(connection);
      await manager.streams.delete(`KV_${bucketOf(region)}`);
      kv = await kvm.create(bucketOf(region));
    },
    close: () => connection.close(),
  };
  return bucket;
}
