// Loaded before the service in a process of its own. Its input ends when the process that started it does, however that ended.
process.stdin.on('end', () => process.exit(1)).resume();
process.stdin.unref();
