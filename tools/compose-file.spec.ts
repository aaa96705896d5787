import { readFileSync } from 'node:fs';
import { load } from 'js-yaml';
import { inRoot } from '../tests/support/places.js';

interface ComposeFile {
  readonly services: Readonly<Record<string, { readonly volumes?: readonly string[] }>>;
}

const { services } = load(readFileSync(inRoot('docker-compose.yml'), 'utf8')) as ComposeFile;
const mounts = Object.entries(services).flatMap(([service, { volumes = [] }]) =>
  volumes
    .map((text) => text.split(':'))
    .map(([volume = '', , mode = '']) => ({ service, volume, options: mode.split(',').filter((word) => word !== '') })),
);
const ofKeys = mounts.filter(({ volume }) => volume.startsWith('keys-'));

it('both variants have the same settings but for the broker', () => {
  const [three, one] = ['cluster.conf', 'one.conf'].map(
    (name) => load(readFileSync(inRoot('containers', name), 'utf8')) as Readonly<Record<string, unknown>>,
  );
  expect({ ...one, nats: [one?.['nats'], 'nats://nats-2:4222', 'nats://nats-3:4222'] }).toEqual(three);
});

describe('the volumes of keys in docker-compose.yml', () => {
  // The engine fills an empty volume from the image for each container that it creates, and two at a time fail with
  // "failed to mkdir …: file exists": replicas are created at the same time, before `init` has put anything there.
  it('are filled from an image for `init` alone', () => {
    const filling = ofKeys.filter(({ options }) => !options.includes('nocopy'));
    expect(new Set(filling.map(({ service }) => service))).toEqual(new Set(['init']));
  });

  it('are written by `init` alone, but for the one of the person at the command line', () => {
    const writing = ofKeys.filter(({ options }) => !options.includes('ro'));
    expect(new Set(writing.map(({ service }) => service))).toEqual(new Set(['init', 'cli']));
  });

  it('with the root key is seen by `init` alone', () => {
    const seeing = ofKeys.filter(({ volume }) => volume === 'keys-offline').map(({ service }) => service);
    expect(seeing).toEqual(['init']);
  });
});
