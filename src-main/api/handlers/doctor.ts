import type { doctorRoutes } from '../../../src-shared/contract/doctor.ts';
import { doctor } from '../../../src-shared/logic/doctor.ts';
import type { DatabaseFacts, DoctorInput } from '../../../src-shared/logic/doctor-input.ts';
import { rowFacts } from '../../engine/diagnosis.ts';
import { pauseState, schedulingHeld } from '../../engine/queue-pause.ts';
import type { ApiDeps, Handlers } from '../handler.ts';

/** The check reads the whole file and nothing else happens meanwhile: a running host leaves a larger one out. Bytes. */
const largestChecked = 134_217_728;

function databaseFacts(deps: ApiDeps, bytes: number | null): DatabaseFacts {
  const { diagnosis } = deps.ctx.store;
  const leftOut = deps.engine !== null && (bytes ?? 0) > largestChecked;
  return { complaints: leftOut ? null : diagnosis.complaints(), ...diagnosis.versions() };
}

async function gather(deps: ApiDeps): Promise<DoctorInput> {
  const { ctx, engine } = deps;
  const machine = await deps.machine();
  const database = databaseFacts(deps, machine.database_bytes);
  const sound = database.complaints === null || database.complaints.length === 0;
  const pause = pauseState(ctx);
  const scheduling = { enabled: ctx.settings.enabled, paused: pause.paused, paused_until: pause.until };
  return {
    now: ctx.clock.now(),
    version: deps.version,
    engine:
      engine === null
        ? null
        : { running: engine.running(), last_scan_at: engine.scanState().last_scan_at, holder: ctx.holder },
    scheduling,
    port: deps.port(),
    machine,
    database,
    rows: sound ? rowFacts(ctx, schedulingHeld(ctx)) : null,
  };
}

/** The handler of the doctor. */
export function doctorHandlers(deps: ApiDeps): Handlers<keyof typeof doctorRoutes> {
  return { doctor: async () => ({ status: 200, body: doctor(await gather(deps)) }) };
}
