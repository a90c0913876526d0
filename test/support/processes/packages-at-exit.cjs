// Prints, when its process ends, which packages of OpenTelemetry the process has loaded.
process.on('exit', () => {
  const names = Object.keys(require.cache).flatMap(
    (path) => /@opentelemetry\/([\w-]+)/.exec(path)?.[1] ?? [],
  );
  process.stdout.write(`${JSON.stringify({ packages: [...new Set(names)] })}\n`);
});
