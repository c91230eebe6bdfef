import { reaches, submit } from '../fixtures/host.ts';
import { expect, test } from '../fixtures/page.ts';

test('a person signs in by the link, submits a command and sees it run and end', async ({ rig, open }) => {
  const host = await rig.start();
  const { page, complaints } = await open(host);
  await expect(page.getByText('Connected')).toBeVisible();
  expect(page.url()).not.toContain('login');
  await page.getByRole('radio', { name: 'Command' }).press('Space');
  await page.getByLabel('Command line').fill('echo from the page; sleep 1; echo and done');
  await page.getByLabel('Command line').press('Control+Enter');
  const runs = page.getByRole('region', { name: 'Recent runs' });
  await expect(runs.getByText('Accepted').first()).toBeVisible({ timeout: 20_000 });
  await runs.getByText('echo from the page').first().click();
  await expect(page.getByText('and done').first()).toBeVisible();
  expect(complaints).toEqual([]);
});

test('the API’s complaint stands under its field', async ({ rig, open }) => {
  const host = await rig.start();
  const { page } = await open(host);
  await page.getByLabel('Prompt').fill('hello');
  await page.getByLabel(/^Folder/).fill('x'.repeat(5000));
  await page.getByRole('button', { name: /^Run now Ctrl/ }).click();
  await expect(page.getByRole('alert').first()).toBeVisible();
  expect((await host.client.call('listAutomations', {})).items).toEqual([]);
});

test('a run that needs review is accepted from the page; a foreign row appears by itself', async ({
  rig,
  open,
}) => {
  const host = await rig.start();
  const { page, complaints } = await open(host, { locale: 'zh-CN', colorScheme: 'dark' });
  const id = await submit(host, { name: '周报素材', command: ['echo', 'result'], review: true });
  const open_ = await reaches(host, id, 'PENDING_REVIEW');
  await page.getByRole('button', { name: /通过.*周报素材/ }).click();
  await expect
    .poll(async () => (await host.client.call('getRun', { params: { id: open_.runId! } })).status)
    .toBe('ACCEPTED');
  rig.python(
    'import sqlite3, sys, time; now = int(time.time() * 1000); db = sqlite3.connect(sys.argv[1]); db.execute("INSERT INTO automations (id, name, prompt, status, created_at, updated_at, next_run_at) VALUES (?,?,?,?,?,?,?)", ("p", "来自脚本", "hi", "ACTIVE", now, now, now + 3600000)); db.commit()',
  );
  await expect(page.getByText('来自脚本').first()).toBeVisible({ timeout: 3000 });
  expect(await page.locator('html').getAttribute('lang')).toMatch(/^zh/);
  expect(complaints).toEqual([]);
});

test('without a token the page shows how to get in, and nothing else', async ({ rig, open }) => {
  const host = await rig.start();
  const { page } = await open(host);
  await expect(page.getByText('Connected')).toBeVisible();
  await page.evaluate(() => sessionStorage.clear());
  await page.goto(host.url);
  await expect(page.getByText('Sign in to this workbench')).toBeVisible();
  await expect(page.getByRole('region', { name: 'Recent runs' })).toHaveCount(0);
});

test('output cannot inject markup', async ({ rig, open }) => {
  const host = await rig.start();
  const { page, complaints } = await open(host);
  const evil =
    '<img src=x onerror="window.hurt=1"><script>window.hurt=1</script>\u001b]0;title\u0007\u001b[2J';
  const id = await submit(host, { name: evil.slice(0, 60), command: ['printf', '%s', evil] });
  await reaches(host, id, 'ACCEPTED');
  await page.getByRole('region', { name: 'Recent runs' }).getByText('<img src=x').first().click();
  await expect(page.getByText('window.hurt=1').first()).toBeVisible();
  expect(await page.evaluate(() => 'hurt' in window)).toBe(false);
  expect(complaints).toEqual([]);
});
