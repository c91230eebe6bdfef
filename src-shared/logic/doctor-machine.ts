import type { DoctorCheck } from '../contract/doctor.ts';
import { type Repair, sizeText, unwell, well } from './doctor-check.ts';
import type { DoctorInput } from './doctor-input.ts';

/** No scan for this long means that the engine is stuck, ms. */
export const silentMs = 95_000;
const mebibyte = 1_048_576;
const leastFree = 100 * mebibyte;
const littleFree = 1024 * mebibyte;
const largeWal = 256 * mebibyte;
const largeDatabase = 4096 * mebibyte;

const serve: Repair = {
  action: 'serve',
  en: 'Start it: nextrun serve',
  zh: '启动：nextrun serve',
};
const restart: Repair = {
  action: 'restart',
  en: 'Stop NextRun and start it again',
  zh: '停止 NextRun 后重新启动',
};
const restartLater: Repair = {
  action: 'restart',
  en: 'When it stays so for a minute: stop NextRun and start it again',
  zh: '若持续一分钟：停止 NextRun 后重新启动',
};
const findOwner: Repair = {
  action: 'find_owner',
  en: 'Find the process (ps, nextrun status); when it hangs, end it and start nextrun serve',
  zh: '找到该进程（ps、nextrun status）；若已卡住，请结束它并启动 nextrun serve',
};
const freeSpace: Repair = {
  action: 'free_space',
  en: 'Free some space on the disk of the data folder',
  zh: '在数据文件夹所在磁盘上腾出空间',
};
const restore: Repair = {
  action: 'restore_backup',
  en: 'Stop NextRun, and restore a file of the folder backups/',
  zh: '停止 NextRun，并从 backups/ 文件夹恢复',
};

function engineCheck({ engine, now, rows, machine }: DoctorInput): DoctorCheck {
  if (engine !== null && !engine.running) {
    const text = { en: 'The engine is starting or stopping', zh: '引擎正在启动或停止' };
    return unwell('engine', 'warn', text, restartLater);
  }
  if (engine === null) {
    // Another process may be the engine; owner_lock tells about it.
    const nothingToDo = rows !== null && rows.active === 0;
    const text = { en: 'No engine runs here: nothing will run', zh: '此处没有引擎在运行：不会执行任何任务' };
    return unwell('engine', nothingToDo || machine.owner === 'other' ? 'warn' : 'fail', text, serve);
  }
  const silent = engine.last_scan_at === null ? null : now - engine.last_scan_at;
  if (silent !== null && silent > silentMs) {
    const seconds = Math.round(silent / 1000);
    const text = { en: `No scan for ${seconds} seconds`, zh: `${seconds} 秒没有扫描` };
    return unwell('engine', 'fail', text, restart);
  }
  return well('engine', { en: 'The engine runs and scans', zh: '引擎正在运行并扫描' });
}

function schedulingCheck({ scheduling }: DoctorInput): DoctorCheck {
  if (!scheduling.enabled) {
    const text = { en: 'Scheduling is switched off in the settings', zh: '设置中关闭了调度' };
    return unwell('scheduling', 'warn', text, {
      action: 'enable_scheduling',
      en: 'Set enabled = true in [scheduled_tasks]',
      zh: '在 [scheduled_tasks] 中设置 enabled = true',
    });
  }
  if (!scheduling.paused) return well('scheduling', { en: 'Scheduling is on', zh: '调度已开启' });
  const until = scheduling.paused_until === null ? null : new Date(scheduling.paused_until).toISOString();
  const text = {
    en: until === null ? 'Everything is paused' : `Everything is paused until ${until}`,
    zh: until === null ? '已暂停全部调度' : `全部调度暂停至 ${until}`,
  };
  return unwell('scheduling', 'warn', text, {
    action: 'resume_all',
    en: 'Resume: nextrun resume',
    zh: '恢复：nextrun resume',
  });
}

function ownerCheck({ engine, machine }: DoctorInput): DoctorCheck {
  const code = 'owner_lock';
  if (machine.owner === 'other') {
    const text = {
      en: 'Another process holds the owner lock, but cannot be reached from here',
      zh: '另一进程持有所有者锁，但无法从此处访问',
    };
    return unwell(code, 'fail', text, findOwner);
  }
  if (machine.owner === 'nobody') {
    if (engine === null) return well(code, { en: 'The owner lock is free', zh: '所有者锁空闲' });
    const text = { en: 'The engine runs without the owner lock', zh: '引擎在没有所有者锁的情况下运行' };
    return unwell(code, 'fail', text, restart);
  }
  if (machine.lock_file) {
    return well(code, { en: 'This process holds the owner lock', zh: '本进程持有所有者锁' });
  }
  const text = {
    en: 'The lock file was removed: a second engine could start on this data folder',
    zh: '锁文件已被删除：同一数据文件夹可能启动第二个引擎',
  };
  return unwell(code, 'fail', text, restart);
}

function databaseChecks({ database, machine }: DoctorInput): DoctorCheck[] {
  const { complaints, schema_version: version, newest_version: newest } = database;
  const first = complaints?.[0];
  const checked =
    complaints === null
      ? well('database', {
          en: 'The database is too large to be checked while it is in use; each start checks it',
          zh: '数据库较大，使用中不做检查；每次启动时会检查',
        })
      : first === undefined
        ? well('database', { en: 'The database is sound', zh: '数据库完好' })
        : unwell(
            'database',
            'fail',
            { en: `The database is damaged: ${first}`, zh: `数据库已损坏：${first}` },
            restore,
          );
  const schema =
    version === newest
      ? well('schema', { en: `The schema has version ${version}`, zh: `数据库结构版本 ${version}` })
      : unwell(
          'schema',
          'fail',
          {
            en: `The schema has version ${version}, not ${newest}`,
            zh: `数据库结构版本 ${version}，应为 ${newest}`,
          },
          restart,
        );
  return [checked, schema, ...sizeChecks(machine)];
}

function sizeChecks({ database_bytes: file, wal_bytes: wal }: DoctorInput['machine']): DoctorCheck[] {
  if (file === null) return [];
  const sizes = `${sizeText(file)}, WAL ${sizeText(wal ?? 0)}`;
  const text = { en: `The database has ${sizes}`, zh: `数据库大小 ${sizes}` };
  if ((wal ?? 0) > largeWal) {
    const repair = {
      action: 'close_readers',
      en: 'Close programs that keep the database open in a long read; NextRun then shrinks the WAL',
      zh: '关闭长时间读取数据库的程序；之后 WAL 会自动缩小',
    };
    return [unwell('database_size', 'warn', text, repair)];
  }
  if (file <= largeDatabase) return [well('database_size', text)];
  const repair = {
    action: 'keep_less',
    en: 'Keep fewer runs: log_keep_per_task and log_keep_days in [scheduled_tasks]',
    zh: '减少保留的运行：[scheduled_tasks] 中的 log_keep_per_task 和 log_keep_days',
  };
  return [unwell('database_size', 'warn', text, repair)];
}

function diskCheck({ machine: { disk } }: DoctorInput): DoctorCheck {
  if (disk === null) {
    const text = { en: 'The free space could not be found out', zh: '无法得知可用空间' };
    return unwell('disk', 'warn', text, null);
  }
  const sizes = [sizeText(disk.free_bytes), sizeText(disk.total_bytes)] as const;
  const text = { en: `${sizes[0]} of ${sizes[1]} are free`, zh: `可用空间 ${sizes[0]}，共 ${sizes[1]}` };
  if (disk.free_bytes >= littleFree) return well('disk', text);
  return unwell('disk', disk.free_bytes < leastFree ? 'fail' : 'warn', text, freeSpace);
}

/** With an engine: is server.json ours, so that the command line finds us. Without: is an old one left. */
function portCheck({ engine, machine, port }: DoctorInput): DoctorCheck {
  const { server, configured_port: wanted } = machine;
  if (server.state === 'unsafe') {
    const text = {
      en: 'server.json can be read or written by others, so it is not trusted',
      zh: 'server.json 可被他人读写，因此不可信',
    };
    return unwell('port', engine === null ? 'warn' : 'fail', text, {
      action: 'remove_server_file',
      en: 'Delete server.json and start NextRun again',
      zh: '删除 server.json 并重新启动 NextRun',
    });
  }
  if (engine === null) {
    if (server.state === 'alive') {
      const text = {
        en: `A host (pid ${server.pid}) is on port ${server.port}, but was not used`,
        zh: `端口 ${server.port} 上有主机（pid ${server.pid}），但未使用`,
      };
      return unwell('port', 'warn', text, findOwner);
    }
    if (server.state === 'missing') return well('port', { en: 'No host is running', zh: '没有主机在运行' });
    const text = {
      en: 'server.json was left by a host that was killed',
      zh: 'server.json 由被终止的主机遗留',
    };
    return unwell('port', 'warn', text, serve);
  }
  if (port === null) return well('port', { en: 'No port is open', zh: '没有打开端口' });
  if (server.state !== 'alive' || !server.self || server.port !== port) {
    const text = {
      en: `This host is on port ${port}, but server.json does not say so: the command line cannot find it`,
      zh: `本主机在端口 ${port}，但 server.json 没有如此记录：命令行找不到它`,
    };
    return unwell('port', 'fail', text, restart);
  }
  const taken = wanted !== 0 && wanted !== port;
  return well('port', {
    en: taken ? `Port ${port}, because ${wanted} was not free or not asked for` : `Port ${port}`,
    zh: taken ? `端口 ${port}（${wanted} 未空闲或未采用）` : `端口 ${port}`,
  });
}

/** Engine, lock, files, disk and port. */
export function machineChecks(input: DoctorInput): DoctorCheck[] {
  return [
    engineCheck(input),
    schedulingCheck(input),
    ownerCheck(input),
    ...databaseChecks(input),
    diskCheck(input),
    portCheck(input),
  ];
}
