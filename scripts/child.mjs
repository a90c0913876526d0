import { spawn } from 'node:child_process';
import { constants, setPriority } from 'node:os';
import { root } from './project.mjs';

const children = new Set();
const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'];

/**
 * Runs a program to its end and resolves to `{ ok, output }`. With `show` the program's output goes to
 * the terminal; one `inBackground` gets the processor when no other program needs it. A signal that ends this process ends its
 * children first.
 */
export function run(
  command,
  args,
  { env = process.env, shell = false, show = false, inBackground = false } = {},
) {
  return new Promise((resolve) => {
    const child = spawn(command, args, {
      cwd: root,
      env,
      shell,
      stdio: ['ignore', ...(show ? ['inherit', 'inherit'] : ['pipe', 'pipe'])],
    });
    if (inBackground && child.pid !== undefined) setPriority(child.pid, constants.priority.PRIORITY_LOW);
    const output = [];
    child.stdout?.on('data', (chunk) => output.push(chunk));
    child.stderr?.on('data', (chunk) => output.push(chunk));
    if (children.size === 0) for (const signal of signals) process.on(signal, stop);
    children.add(child);
    const end = (ok, more = '') => {
      children.delete(child);
      if (children.size === 0) for (const signal of signals) process.off(signal, stop);
      resolve({ ok, output: Buffer.concat(output).toString('utf8') + more });
    };
    child.on('error', (error) => end(false, `${command}: ${error.message}\n`));
    child.on('close', (code, signal) => end(code === 0, signal ? `${command} was ended by ${signal}\n` : ''));
  });
}

/** Like {@link run}, for a script that Node runs. */
export function runNode(args, options) {
  return run(process.execPath, args, options);
}

function stop(signal) {
  const exit = () => process.exit(128 + constants.signals[signal]);
  let running = children.size;
  for (const child of children) {
    child.once('close', () => --running === 0 && exit());
    child.kill(signal);
  }
  setTimeout(exit, 5000);
}
