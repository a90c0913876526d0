import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Deployment } from 'kubernetes-types/apps/v1';
import type { HorizontalPodAutoscaler } from 'kubernetes-types/autoscaling/v2';
import type { Job } from 'kubernetes-types/batch/v1';
import type { ConfigMap, Container, Namespace, PodSpec, Service } from 'kubernetes-types/core/v1';
import type { NetworkPolicy } from 'kubernetes-types/networking/v1';
import type { PodDisruptionBudget } from 'kubernetes-types/policy/v1';
import { readEnvironment } from '../../src/runtime/config/environment';
import { argumentsOf, lastStage } from './image';
import { apiProblems } from './kubernetes-types';
import { kustomization, manifest, manifestFiles, manifests } from './manifests';
import { jsonOf, knownVariables, root, sourceOf, textOf } from './project';
import { yamlDocument } from './yaml-file';

// The compiler reads the types of the API in a process of its own, which takes time.
jest.setTimeout(60_000);

type Labels = Record<string, string>;

const deployment = manifest<Deployment>('Deployment');
const job = manifest<Job>('Job');
const service = manifest<Service>('Service');
const settings = manifest<ConfigMap>('ConfigMap');

const podOf = ({ spec }: Deployment | Job): PodSpec => required(spec?.template.spec);
const labelsOf = ({ spec }: Deployment | Job): Labels => required(spec?.template.metadata?.labels);
const [container] = podOf(deployment).containers as [Container];
const portNumbers = Object.fromEntries(
  (container.ports ?? []).map((port) => [port.name, port.containerPort]),
);

function required<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('A part of the manifest is missing');
  return value;
}

const selects = (selector: Labels | undefined, labels: Labels): boolean =>
  Object.entries(required(selector)).every(([name, value]) => labels[name] === value);

describe('the manifests', () => {
  it('hold nothing that the Kubernetes API does not know', async () => {
    expect(await apiProblems(manifests())).toEqual([]);
  });

  it('would be refused for a misspelt field or a value of a wrong type', async () => {
    const misspelt = structuredClone(deployment);
    Object.assign(podOf(misspelt).containers[0] ?? {}, { readinesProbe: {} });
    const mistyped = structuredClone(deployment);
    Object.assign(required(mistyped.spec), { replicas: '2' });
    expect(await apiProblems([misspelt, mistyped] as never[])).toEqual([
      expect.stringMatching(/readinesProbe.*does not exist/),
      expect.stringContaining("Type 'string' is not assignable to type 'number'"),
    ]);
  });

  it('are all brought by a kustomization, but for the namespace, which comes first', () => {
    const brought = manifestFiles()
      .filter((path) => path.endsWith('/kustomization.yaml'))
      .flatMap((path) =>
        yamlDocument<{ resources: string[] }>(path).resources.map((resource) =>
          join(dirname(path), resource),
        ),
      );
    for (const path of brought)
      expect({ path, exists: existsSync(join(root, path)) }).toEqual({ path, exists: true });
    const alone = manifestFiles().filter(
      (path) => !path.endsWith('/kustomization.yaml') && !brought.includes(path),
    );
    expect(alone).toEqual(['deploy/kubernetes/namespace.yaml']);
  });

  it('live in one namespace, which refuses pods with more rights', () => {
    const namespace = manifest<Namespace>('Namespace');
    for (const folder of ['service', 'migration', 'autoscaling']) {
      expect(kustomization(folder).namespace).toBe(namespace.metadata?.name);
    }
    expect(namespace.metadata?.labels).toMatchObject({ 'pod-security.kubernetes.io/enforce': 'restricted' });
    for (const { metadata } of manifests()) expect(metadata).not.toHaveProperty('namespace');
  });

  it('run the same image everywhere, of the version that package.json names', () => {
    const { images } = kustomization('service');
    expect(kustomization('migration').images).toEqual(images);
    expect(images).toEqual([
      expect.objectContaining({
        name: 'construction-data-translation',
        newTag: jsonOf('package.json').version,
      }),
    ]);
    for (const { image } of [container, ...podOf(job).containers]) expect(image).toBe(images?.[0]?.name);
  });
});

describe.each([
  ['the service', deployment],
  ['the migration', job],
])('the pods of %s', (_name, workload) => {
  const pod = podOf(workload);

  it('are what the restricted pod security standard admits, and write to no file system of the image', () => {
    const [, user, group] = /^(\d+):(\d+)$/.exec(argumentsOf(lastStage(), 'USER')[0] ?? '') ?? [];
    expect(pod.securityContext).toEqual({
      runAsNonRoot: true,
      runAsUser: Number(user),
      runAsGroup: Number(group),
      seccompProfile: { type: 'RuntimeDefault' },
    });
    expect(pod.initContainers).toBeUndefined();
    expect(pod.containers.map(({ securityContext }) => securityContext)).toEqual([
      { allowPrivilegeEscalation: false, readOnlyRootFilesystem: true, capabilities: { drop: ['ALL'] } },
    ]);
    expect([pod.hostNetwork, pod.hostPID, pod.hostIPC]).toEqual([undefined, undefined, undefined]);
  });

  it('get nothing of the cluster that they do not use', () => {
    expect(pod).toMatchObject({ automountServiceAccountToken: false, enableServiceLinks: false });
  });

  it('say how much memory and processor they take', () => {
    for (const { resources } of pod.containers) {
      expect(resources).toEqual({
        requests: { cpu: expect.stringMatching(/^\d+m$/), memory: expect.stringMatching(/^\d+Mi$/) },
        limits: { memory: expect.stringMatching(/^\d+Mi$/) },
      });
    }
  });

  it('take the database address from the Secret that docs/deploy.md has the operator make', () => {
    const { name, key } = required(
      pod.containers[0]?.env?.find((variable) => variable.name === 'DATABASE_URL')?.valueFrom?.secretKeyRef,
    );
    expect(key).toBe('DATABASE_URL');
    expect(textOf('docs/deploy.md')).toContain(`create secret generic ${name} `);
  });
});

describe('the Deployment', () => {
  it('takes the credentials keys from a separate Secret, if it exists', () => {
    const variable = container.env?.find(({ name }) => name === 'CREDENTIALS_KEYS');
    const { name, key, optional } = required(variable?.valueFrom?.secretKeyRef);
    expect({ key, optional }).toEqual({ key: 'CREDENTIALS_KEYS', optional: true });
    expect(textOf('docs/deploy.md')).toContain(`create secret generic ${name} `);
  });

  it('replaces pods one by one, and never goes below its number', () => {
    expect(deployment.spec).toMatchObject({
      replicas: 2,
      strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } },
    });
  });

  it('asks the process alone whether to restart it, and for the database whether to send it requests', () => {
    const { startupProbe, livenessProbe, readinessProbe } = container;
    expect(startupProbe?.httpGet).toEqual({ path: '/livez', port: 'http' });
    expect(livenessProbe?.httpGet).toEqual({ path: '/livez', port: 'http' });
    expect(readinessProbe?.httpGet).toEqual({ path: '/readyz', port: 'http' });
    for (const probe of [startupProbe, livenessProbe, readinessProbe]) {
      // The service looks at its database for 1.2 s at most.
      expect(probe?.timeoutSeconds).toBeGreaterThan(1.2);
    }
  });

  it('gives up on a rollout later than on a pod that starts', () => {
    const { periodSeconds = 0, failureThreshold = 0 } = required(container.startupProbe);
    expect(required(deployment.spec).progressDeadlineSeconds).toBeGreaterThan(
      periodSeconds * failureThreshold,
    );
  });

  it('waits for the service to stop', () => {
    const [command, pause] = required(container.lifecycle?.preStop?.exec?.command);
    expect(command).toBe('sleep');
    const [, stoppedBy] = /STOPPED_BY = ([\d_]+);/.exec(textOf('src/main.ts')) ?? [];
    const stopping = Number(stoppedBy?.replaceAll('_', '')) / 1000;
    expect(stopping).toBeGreaterThan(0);
    expect(podOf(deployment).terminationGracePeriodSeconds).toBeGreaterThan(Number(pause) + stopping);
  });

  it('names the ports that the image opens', () => {
    expect(Object.keys(portNumbers)).toEqual(['http', 'metrics']);
    expect(Object.values(portNumbers).map(String)).toEqual(
      argumentsOf(lastStage(), 'EXPOSE').join(' ').split(' '),
    );
  });

  it('shows a scraper where the metrics are', () => {
    expect(deployment.spec?.template.metadata?.annotations).toEqual({
      'prometheus.io/scrape': 'true',
      'prometheus.io/port': String(portNumbers['metrics']),
      'prometheus.io/path': '/metrics',
    });
  });

  it('lets the pods write to a small /tmp alone', () => {
    expect(container.volumeMounts).toEqual([{ name: 'tmp', mountPath: '/tmp' }]);
    expect(podOf(deployment).volumes).toEqual([{ name: 'tmp', emptyDir: { sizeLimit: '64Mi' } }]);
  });

  it('selects its own pods, and spreads them', () => {
    const pods = required(deployment.spec);
    expect(selects(pods.selector.matchLabels, labelsOf(deployment))).toBe(true);
    const constraints = required(podOf(deployment).topologySpreadConstraints);
    expect(constraints.map(({ topologyKey }) => topologyKey)).toEqual([
      'kubernetes.io/hostname',
      'topology.kubernetes.io/zone',
    ]);
    for (const { labelSelector } of constraints) expect(labelSelector).toEqual(pods.selector);
  });
});

describe('the ConfigMap', () => {
  it('sets what the service knows, to values that it takes, and nothing secret', () => {
    const names = Object.keys(required(settings.data));
    expect(knownVariables()).toEqual(expect.arrayContaining(names));
    expect(names).not.toContain('DATABASE_URL');
    expect(names).not.toContain('CREDENTIALS_KEYS');
    expect(readEnvironment(required(settings.data))).toMatchObject({
      port: portNumbers['http'],
      trustProxy: 1,
    });
    expect(container.envFrom).toEqual([{ configMapRef: { name: settings.metadata?.name } }]);
  });
});

describe('the Job', () => {
  it('runs the command that brings the database up to date', () => {
    const [migration] = podOf(job).containers;
    expect(migration?.command?.[0]).toBe('node');
    expect(migration?.command?.slice(-3)).toEqual(['dist/src/cli/main.js', 'migrations', 'run']);
    expect(existsSync(join(root, sourceOf('dist/src/cli/main.js')))).toBe(true);
  });

  it('reaches the database as the service does, also behind a pooler', () => {
    const pooler = podOf(job).containers[0]?.env?.find(({ name }) => name === 'DATABASE_POOLER');
    expect(pooler?.value).toBe(settings.data?.['DATABASE_POOLER']);
    expect(readEnvironment({ DATABASE_POOLER: required(pooler?.value) }).databasePooler).toBe('off');
  });

  it('ends, also when it cannot succeed', () => {
    expect(job.spec).toMatchObject({
      backoffLimit: expect.any(Number),
      activeDeadlineSeconds: expect.any(Number),
      ttlSecondsAfterFinished: expect.any(Number),
      template: { spec: { restartPolicy: 'Never' } },
    });
  });
});

describe('the way to the pods', () => {
  it('is a Service that reaches those of the service, not the migration, and no metrics', () => {
    expect(selects(service.spec?.selector, labelsOf(deployment))).toBe(true);
    expect(selects(service.spec?.selector, labelsOf(job))).toBe(false);
    expect(service.spec?.ports?.map(({ targetPort }) => targetPort)).toEqual(['http']);
  });

  it('has a disruption budget that keeps all pods but one, and allows evictions while none is ready', () => {
    const { spec } = manifest<PodDisruptionBudget>('PodDisruptionBudget');
    expect(spec).toMatchObject({ maxUnavailable: 1, unhealthyPodEvictionPolicy: 'AlwaysAllow' });
    expect(spec?.selector).toEqual(deployment.spec?.selector);
  });

  it.each([
    ['translation', deployment, job],
    ['translation-migration', job, deployment],
  ])('is limited by the network policy %s', (name, own, other) => {
    const spec = required(manifest<NetworkPolicy>('NetworkPolicy', name).spec);
    expect(selects(spec.podSelector.matchLabels, labelsOf(own))).toBe(true);
    expect(selects(spec.podSelector.matchLabels, labelsOf(other))).toBe(false);
    expect(spec.policyTypes).toEqual(['Ingress', 'Egress']);
    for (const rule of spec.ingress ?? []) {
      expect(rule.from).toEqual([{ namespaceSelector: { matchLabels: expect.any(Object) } }]);
      for (const { port } of required(rule.ports)) expect(Object.keys(portNumbers)).toContain(port);
    }
    expect(spec.egress?.flatMap(({ ports }) => ports?.map(({ port }) => port))).toEqual([53, 53, 5432]);
  });
});

describe('the autoscaler', () => {
  const autoscaler = manifest<HorizontalPodAutoscaler>('HorizontalPodAutoscaler');

  it('scales the Deployment, upwards from its own number', () => {
    const { kind, apiVersion, metadata, spec } = deployment;
    expect(autoscaler.spec?.scaleTargetRef).toEqual({ kind, apiVersion, name: metadata?.name });
    expect(autoscaler.spec?.minReplicas).toBe(spec?.replicas);
    expect(autoscaler.spec?.maxReplicas).toBeGreaterThan(2);
  });

  it('is the only one to set the number of pods', () => {
    const { resources, patches } = kustomization('autoscaling');
    expect(resources).toContain('../service');
    expect(patches).toEqual([
      {
        target: { kind: 'Deployment', name: deployment.metadata?.name },
        patch: '- op: remove\n  path: /spec/replicas',
      },
    ]);
  });
});
